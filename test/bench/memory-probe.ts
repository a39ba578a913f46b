// Preloaded into a measured server (`--expose-gc --import`): on SIGUSR2 it collects garbage and prints its memory.
let readings = 0;

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  // What finalisers and weak references let go is free only after a second collection, a turn later.
  setTimeout(() => {
    globalThis.gc?.();
    readings += 1;
    process.stderr.write(`memory ${readings} ${JSON.stringify(process.memoryUsage())}\n`);
  }, 200);
});
