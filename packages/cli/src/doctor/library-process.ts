// The child of examine-library.ts: loads the library, checks its layouts and prints what it is.
import * as inference from "@slipstream-stack/inference";

const { checkLibrary } = inference as unknown as {
  checkLibrary(platform: string, architecture: string): string;
};
console.log(checkLibrary(process.platform, process.arch));
