import type { Bench } from "./bench.ts";

/** A benchmark before its parts are loaded. */
type Entry = Omit<Bench, "run"> & { readonly load: () => Promise<Pick<Bench, "run">> };

/** All benchmarks; each is loaded only when it runs. */
export const catalogue: readonly Entry[] = [
  {
    name: "engine-native",
    about: "prefill and decode through the whole engine against a C loop on the same library",
    usesEngine: true,
    load: async () => (await import("./engine/native-bench.ts")).engineNative,
  },
  {
    name: "engine-reuse",
    about: "reuse and fork of 4,000 tokens, idle sequences, token gaps beside a prefill",
    usesEngine: true,
    load: async () => (await import("./engine/reuse-bench.ts")).engineReuse,
  },
  {
    name: "loop",
    about: "12- and 30-lap sessions on three sides; start, gap and bytes of the harness",
    usesEngine: true,
    load: async () => (await import("./loop/loop-bench.ts")).loop,
  },
  {
    name: "api-overhead",
    about: "what the API adds to a lap at 1k, 10k and 100k tokens, chained and resent in full",
    usesEngine: false,
    load: async () => (await import("./api/api-overhead-bench.ts")).apiOverhead,
  },
  {
    name: "replay",
    about: "bytes and tokens of recorded sessions, full resend and delta, and the time to build a request",
    usesEngine: true,
    load: async () => (await import("./replay/replay-bench.ts")).replay,
  },
  {
    name: "soak",
    about: "a hundred kills each of server and engine process while responses are stored",
    usesEngine: true,
    load: async () => (await import("../soak/soak-bench.ts")).soak,
  },
];
