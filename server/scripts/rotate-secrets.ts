// Encrypts every stored secret with HALYARD_SECRET_KEY. The keys in HALYARD_OLD_SECRET_KEYS are not needed afterwards.

import { listUnreadable, resealSecrets, type UnreadableSecret } from '../src/delivery/integrations/reseal.ts';
import { resealOwnSecrets } from '../src/people/api-tokens/own-secrets.ts';
import {
  checkClientSecret,
  deleteClientSecret,
  resealClientSecret,
} from '../src/people/auth-settings/secret.ts';
import { readOptions } from '../src/platform/command-line.ts';
import { ConfigError } from '../src/platform/config.ts';
import { type Db, openDb } from '../src/platform/db/database.ts';
import { howToRun } from '../src/platform/files.ts';
import { type Keyring, makeKeyring } from '../src/platform/secrets/seal.ts';
import { StartError } from '../src/platform/start-error.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { runOnMigrated } from './run.ts';

const { 'forget-unreadable': forgetUnreadable } = readOptions({
  run: howToRun('rotate-secrets'),
  does: `Encrypts every stored secret with HALYARD_SECRET_KEY. Remove HALYARD_OLD_SECRET_KEYS afterwards. Exits with 1 if a secret cannot
be decrypted. In that case, keep the old keys.`,
  options: {
    'forget-unreadable': {
      type: 'boolean',
      default: false,
      meaning: 'Remove secrets that no key decrypts, so that the server starts. This cannot be undone',
    },
  },
  variables: describeVariables('DATABASE_URL', 'HALYARD_SECRET_KEY', 'HALYARD_OLD_SECRET_KEYS'),
});

await runOnMigrated(process.env, async config => {
  const keyring = makeKeyring(config.secretKey, config.oldSecretKeys);
  if (keyring.length === 0)
    throw new ConfigError(['HALYARD_SECRET_KEY is missing: there is no key to encrypt with.']);
  const db = openDb({ url: config.databaseUrl, poolSize: 2, onError: error => console.warn(error.message) });
  try {
    await rotate(db, keyring);
  } finally {
    await db.destroy();
  }
});

async function rotate(db: Db, keyring: Keyring): Promise<void> {
  const unreadable = await listUnreadable(db, keyring);
  const clientProblem = await findClientProblem(db, keyring);
  const tokens = await resealOwnSecrets(db, keyring);
  const lostSecrets = [
    ...unreadable.map(describe),
    ...(clientProblem === undefined ? [] : ['the client secret for single sign-on']),
    ...tokens.unreadable.map(id => `the secret of API token ${id}`),
  ];
  if (forgetUnreadable && lostSecrets.length > 0) {
    console.warn(
      `Removing secrets that no key decrypts, which cannot be undone:\n  ${lostSecrets.join('\n  ')}`,
    );
    if (clientProblem !== undefined) await deleteClientSecret(db);
    await resealOwnSecrets(db, keyring, { forgetUnreadable });
  }
  const { resealed } = await resealSecrets(db, keyring, { forgetUnreadable });
  const isClientResealed =
    (clientProblem === undefined || forgetUnreadable) && (await resealClientSecret(db, keyring));
  console.log(
    `Integrations changed: ${resealed}. API tokens changed: ${tokens.resealed}. Client secret of single sign-on: ${isClientResealed ? 'encrypted with the new key' : 'unchanged'}.`,
  );
  if (lostSecrets.length === 0) return;
  if (forgetUnreadable) console.warn('Enter the removed secrets again.');
  else throw new StartError(explain(keyring, unreadable, clientProblem, tokens.unreadable));
}

async function findClientProblem(db: Db, keyring: Keyring): Promise<string | undefined> {
  try {
    await checkClientSecret(db, keyring);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

function describe({ id, provider, description }: UnreadableSecret): string {
  return `integration ${id} (${[provider, description].filter(Boolean).join(', ')})`;
}

function explain(
  keyring: Keyring,
  unreadable: UnreadableSecret[],
  clientProblem: string | undefined,
  tokens: number[],
): string {
  const lines = unreadable.map(secret => {
    const isDamaged = keyring.some(({ id }) => id === secret.key);
    const reason = isDamaged
      ? 'are damaged'
      : `are encrypted with the key ${secret.key}, which is neither HALYARD_SECRET_KEY nor in HALYARD_OLD_SECRET_KEYS`;
    return `The secrets of ${describe(secret)} ${reason}.`;
  });
  return [
    ...lines,
    ...(clientProblem === undefined ? [] : [clientProblem]),
    ...(tokens.length === 0 ? [] : [`No key decrypts the secrets of the API tokens ${tokens.join(', ')}.`]),
    `Keep the old keys, add the missing key to HALYARD_OLD_SECRET_KEYS and run this again. If the key is lost, ${howToRun('rotate-secrets', '--forget-unreadable')} removes these secrets.`,
  ].join('\n');
}
