import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Environment variables for every program that a test starts from its sources. With the cache, a script takes 0.75 s of CPU time
 * instead of 1.55 s. The folder is the one where Node keeps compiled sources by default.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
