import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { failed } from './errors.ts';

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
    throw failed(`Cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    const { current, profiles } = JSON.parse(text) as Profiles;
    if (typeof current !== 'string' || typeof profiles !== 'object' || profiles === null)
      throw new Error('its shape is wrong');
    // Looking up a name such as __proto__ must find nothing.
    return { current, profiles: Object.assign(Object.create(null), profiles) };
  } catch (error) {
    throw failed(
      `${file} is not a file of profiles: ${(error as Error).message}.`,
      'Delete it, and run halyard login.',
    );
  }
}

/** The file contains tokens, so only its owner may read it. A rename replaces it, so a reader never sees half of it. */
export function writeProfiles(env: Env, profiles: Profiles): void {
  const file = profilesFile(env);
  const temporary = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw failed(`Cannot write ${file}: ${(error as Error).message}`);
  }
}
