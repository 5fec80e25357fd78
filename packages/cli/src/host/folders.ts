import { isAbsolute, posix, win32 } from "node:path";
import type { Host } from "./host.ts";

/** Where the user's models lie: `SLIPSTREAM_CACHE`, else the platform's cache folder. */
export function cacheFolder(host: Host): string {
  return host.env.SLIPSTREAM_CACHE || userFolder(host, "XDG_CACHE_HOME", ".cache", "Library/Caches", "Cache");
}

/** Where the user's `config.json` lies. */
export function configFolder(host: Host): string {
  return userFolder(host, "XDG_CONFIG_HOME", ".config", "Library/Application Support", "Config");
}

/** Where the user's sessions and the server's store lie. */
export function stateFolder(host: Host): string {
  return userFolder(host, "XDG_STATE_HOME", ".local/state", "Library/Application Support", "Data");
}

/** XDG base directories on Linux and other Unixes (a relative value is ignored, as that specification says). */
function userFolder(host: Host, variable: string, xdg: string, mac: string, windows: string): string {
  if (host.platform === "win32") {
    const local = host.env.LOCALAPPDATA ?? win32.join(host.homeFolder, "AppData", "Local");
    return win32.join(local, "slipstream", windows);
  }
  if (host.platform === "darwin") return posix.join(host.homeFolder, mac, "slipstream");
  const set = host.env[variable];
  const base = set !== undefined && isAbsolute(set) ? set : posix.join(host.homeFolder, xdg);
  return posix.join(base, "slipstream");
}
