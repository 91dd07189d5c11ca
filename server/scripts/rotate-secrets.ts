// Encrypts every stored secret with HALYARD_SECRET_KEY. Those of HALYARD_OLD_SECRET_KEYS are not needed afterwards.

import { resealSecrets } from '../src/delivery/integrations/reseal.ts';
import { resealClientSecret } from '../src/people/auth-settings/secret.ts';
import { readOptions } from '../src/platform/command-line.ts';
import { ConfigError } from '../src/platform/config.ts';
import { openDb } from '../src/platform/db/database.ts';
import { keyringOf } from '../src/platform/secrets/seal.ts';
import { runScript } from './run.ts';

const { 'forget-unreadable': forgetUnreadable } = readOptions({
  run: 'npm run rotate-secrets',
  does: 'Encrypts every stored secret with HALYARD_SECRET_KEY. Remove HALYARD_OLD_SECRET_KEYS afterwards.',
  options: {
    'forget-unreadable': {
      type: 'boolean',
      default: false,
      meaning:
        'Remove secrets of integrations that no key opens, so that the server starts without a lost key',
    },
  },
});

await runScript(process.env, async config => {
  const keyring = keyringOf(config.secretKey, config.oldSecretKeys);
  if (keyring.length === 0)
    throw new ConfigError(['HALYARD_SECRET_KEY is missing: there is no key to encrypt with.']);
  const db = openDb({ url: config.databaseUrl, poolSize: 2, onError: error => console.warn(error.message) });
  const { resealed, unreadable } = await resealSecrets(db, keyring, { forgetUnreadable });
  const client = await resealClientSecret(db, keyring);
  console.log(
    `Integrations changed: ${resealed}. Client secret of single sign-on: ${client ? 'encrypted with the new key' : 'unchanged'}.`,
  );
  if (unreadable.length > 0) {
    const what = forgetUnreadable ? 'were removed' : 'were left as they are';
    console.warn(
      `Secrets that no key opens ${what}. Enter them again for integration ${unreadable.join(', ')}.`,
    );
  }
  await db.destroy();
});
