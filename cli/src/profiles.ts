import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { failure } from './errors.ts';

export type Profile = {
  server: string;
  token: string;
  /** The token was issued for this profile by a login in the browser, so logging out revokes it. */
  granted?: true;
  project?: string;
  environment?: string;
};
export type Profiles = { current: string; profiles: Record<string, Profile> };

type Env = Record<string, string | undefined>;

export const profilesFile = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'halyard', 'profiles.json');

export function readProfiles(env: Env): Profiles {
  const file = profilesFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { current: 'default', profiles: Object.create(null) };
    throw failure(`Cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    const { current, profiles } = JSON.parse(text) as Profiles;
    if (typeof current !== 'string' || typeof profiles !== 'object' || profiles === null)
      throw new Error('it has an unexpected structure');
    // The objects have no prototype, so that looking up a name such as __proto__ finds nothing.
    return { current, profiles: Object.assign(Object.create(null), profiles) };
  } catch (error) {
    throw failure(
      `${file} is not a valid profiles file: ${(error as Error).message}.`,
      'Delete it, and run halyard login.',
    );
  }
}

/** Writes a new file and renames it, so that nobody reads half a file. Only its owner may read it, because it contains tokens. */
export function writeProfiles(env: Env, profiles: Profiles): void {
  const file = profilesFile(env);
  const temporaryFile = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporaryFile, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    chmodSync(temporaryFile, 0o600);
    renameSync(temporaryFile, file);
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    throw failure(`Cannot write ${file}: ${(error as Error).message}`);
  }
}
