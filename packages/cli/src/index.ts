export { flagOf } from "./config/config-keys.ts";
export { trajectoryPath } from "./demo/demo-folder.ts";
export { type DemoSide, demoSides } from "./demo/demo-sides.ts";
export { runSide, type SideResult } from "./demo/run-side.ts";
export { cacheFolder } from "./host/folders.ts";
export { currentHost, type Host } from "./host/host.ts";
export { type ResolvedModel, resolveModel } from "./models/resolve-model.ts";
export { type ChildServer, type SpawnOptions, spawnServer } from "./serve/spawn-server.ts";
export { formatTable } from "./terminal/format-table.ts";
