import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * For the environment of every program that a test starts from its sources: a script then takes 0.75 s of CPU time instead of 1.55 s.
 * This is also where Node keeps compiled sources by default.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
