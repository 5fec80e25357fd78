import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheFolder, configFolder, stateFolder } from "./folders.ts";
import type { Host } from "./host.ts";

const host = (platform: NodeJS.Platform, env: Host["env"] = {}): Host => ({
  env,
  platform,
  homeFolder: platform === "win32" ? "C:\\Users\\ada" : "/home/ada",
  workingFolder: "/",
  memoryBytes: 0,
});

test("Linux follows the XDG variables and ignores relative ones", () => {
  assert.equal(cacheFolder(host("linux")), "/home/ada/.cache/slipstream");
  assert.equal(cacheFolder(host("linux", { XDG_CACHE_HOME: "/fast" })), "/fast/slipstream");
  assert.equal(cacheFolder(host("linux", { XDG_CACHE_HOME: "fast" })), "/home/ada/.cache/slipstream");
  assert.equal(configFolder(host("linux", { XDG_CONFIG_HOME: "/c" })), "/c/slipstream");
  assert.equal(stateFolder(host("linux")), "/home/ada/.local/state/slipstream");
});

test("macOS and Windows have their own places", () => {
  assert.equal(cacheFolder(host("darwin")), "/home/ada/Library/Caches/slipstream");
  assert.equal(configFolder(host("darwin")), "/home/ada/Library/Application Support/slipstream");
  assert.equal(cacheFolder(host("win32", { LOCALAPPDATA: "D:\\local" })), "D:\\local\\slipstream\\Cache");
  assert.equal(configFolder(host("win32")), "C:\\Users\\ada\\AppData\\Local\\slipstream\\Config");
});

test("SLIPSTREAM_CACHE overrides the cache folder everywhere", () => {
  for (const platform of ["linux", "darwin", "win32"] as const) {
    assert.equal(cacheFolder(host(platform, { SLIPSTREAM_CACHE: "/models" })), "/models");
  }
});
