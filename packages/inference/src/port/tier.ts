/** Where KV state lies: computed and resident, in RAM, on disk, on another machine. */
export type Tier = "hot" | "ram" | "disk" | "remote";
