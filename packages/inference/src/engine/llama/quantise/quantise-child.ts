import koffi from "koffi";
import { loadLibrary } from "../library/load-library.ts";

// ftype of llama.h: mostly Q8_0.
const q8 = 7;

/** Converts argv[2] to argv[3] and exits 0, or 1. The library may abort on a bad file: only this process ends. */
const [, , source, target] = process.argv;
process.stdin.on("end", () => process.exit(1)).on("error", () => process.exit(1));
process.stdin.resume();
if (source === undefined || target === undefined) process.exit(2);
const { llama, layouts } = loadLibrary(process.platform, process.arch);
const params = { ...llama.quantizeDefaultParams(), ftype: q8, allow_requantize: true };
const code = llama.modelQuantize(source, target, koffi.as(params, koffi.pointer(layouts.quantizeParams)));
process.exit(code === 0 ? 0 : 1);
