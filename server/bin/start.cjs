// Only a Node.js that is new enough reads this file, see halyard.cjs.
const { enableCompileCache, setSourceMapsSupport } = require('node:module');

/** Commands that run for long. */
const SERVERS = ['server', 'demo', 'import'];
/**
 * By default, the spaces for young objects have 16 MB each, and the heap grows to a multiple of what is in use between two
 * full collections. With these limits the server takes 205 MB after 10,000 mixed requests, without the second one 312 MB. With
 * 20 % instead of 60 % it takes 200 MB, and the export of events half as much CPU again. Each thread of glibc has a heap of its
 * own, an arena, which keeps what was freed. By default glibc also takes larger and larger blocks from an arena; with a fixed
 * threshold it returns them, so indexing text takes 135 MB for every chunk of events instead of 130 to 220 MB.
 */
const memory = require('./memory.json');

limitMemory();
// Before anything else is loaded: most of the time of a start goes into compiling.
enableCompileCache();
// Errors name the lines of the TypeScript sources, also below node_modules.
setSourceMapsSupport(true, { nodeModules: true });

void import('../server/dist/halyard.js');

/** Starts the process again with the options, under the same process id. Windows cannot do that. */
function limitMemory() {
  const { execPath, execArgv, argv, env, execve } = process;
  const chosen = [...execArgv, env.NODE_OPTIONS ?? ''].some(option => option.includes('semi-space-size'));
  if (chosen || execve === undefined || !SERVERS.includes(argv[2])) return;
  execve(execPath, [execPath, ...memory.options, ...execArgv, ...argv.slice(1)], {
    ...env,
    MALLOC_ARENA_MAX: env.MALLOC_ARENA_MAX ?? memory.mallocArenas,
    MALLOC_MMAP_THRESHOLD_: env.MALLOC_MMAP_THRESHOLD_ ?? memory.mallocMmapThreshold,
    MALLOC_TRIM_THRESHOLD_: env.MALLOC_TRIM_THRESHOLD_ ?? memory.mallocMmapThreshold,
  });
}
