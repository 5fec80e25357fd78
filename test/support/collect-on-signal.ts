import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Loaded before a server's own program (`--import`), so that a test can measure what it holds and not what it has
// left to be collected.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
process.on("SIGUSR2", () => collect());
