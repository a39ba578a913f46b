// An unhandled rejection in any test file fails that file instead of passing by in silence.
process.on('unhandledRejection', (reason) => {
  throw reason instanceof Error ? reason : new Error(`unhandled rejection: ${String(reason)}`);
});
