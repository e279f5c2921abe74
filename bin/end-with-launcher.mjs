// Loaded into what the launcher starts. The channel between them closes when the launcher is gone, however it ended.
if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
