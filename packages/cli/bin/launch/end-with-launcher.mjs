/**
 * Ends this process in order when the launcher that started it is gone, however that ended. Without a launcher
 * nothing happens.
 * @param {Pick<NodeJS.Process, "pid" | "connected" | "once" | "kill" | "channel">} child
 */
export function endWithLauncher(child) {
  if (!child.connected) return;
  child.once("disconnect", () => child.kill(child.pid, "SIGTERM"));
  // The channel itself is no reason to stay.
  child.channel?.unref();
}
