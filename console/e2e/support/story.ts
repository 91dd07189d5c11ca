import { randomBytes } from 'node:crypto';
import { makeDemoStory } from '../../../server/scripts/demo-story/make.ts';
import { readConfig } from '../../../server/src/platform/config.ts';
import { createDatabase, dropDatabase, urlOf } from '../../../server/src/test/database.ts';
import { startProcess, stopProcess } from '../../../server/src/test/process.ts';

export type Story = {
  url: string;
  /** The admin of the story. */
  login: { username: string; password: string };
  stop: () => Promise<void>;
};

/** A server on a new database with the demo story. */
export async function startStory(): Promise<Story> {
  const name = `halyard_story_${randomBytes(6).toString('hex')}`;
  const env = { DATABASE_URL: urlOf(name), HALYARD_SECRET_KEY: randomBytes(32).toString('base64') };
  await createDatabase(name);
  const [ada] = await makeDemoStory(readConfig(env));
  if (!ada) throw new Error('The story has no people.');
  const running = await startProcess({ ...env, HALYARD_ALLOW_PRIVATE_TARGETS: 'true', LOG_LEVEL: 'warn' });
  return {
    url: `http://localhost:${running.port}`,
    login: ada,
    stop: async () => {
      await stopProcess(running);
      await dropDatabase(name);
    },
  };
}
