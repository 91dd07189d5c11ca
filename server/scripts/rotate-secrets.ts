// Encrypts every stored secret with HALYARD_SECRET_KEY. Those of HALYARD_OLD_SECRET_KEYS are not needed afterwards.
import { readConfig } from '../src/config.ts';
import { openDb } from '../src/db/database.ts';
import { resealSecrets } from '../src/integrations/reseal.ts';
import { keyringOf } from '../src/secrets/seal.ts';
import { resealClientSecret } from '../src/sso/secret.ts';

const config = readConfig(process.env);
const keyring = keyringOf(config.secretKey, config.oldSecretKeys);
if (keyring.length === 0) {
  console.error('HALYARD_SECRET_KEY is missing: there is no key to encrypt with.');
  process.exit(1);
}
const db = openDb({ url: config.databaseUrl, poolSize: 2, onError: error => console.warn(error.message) });
const count = await resealSecrets(db, keyring);
const client = await resealClientSecret(db, keyring);
console.log(
  `Encrypted the secrets of ${count} integration(s)${client ? ' and the client secret of single sign-on' : ''} anew.`,
);
await db.destroy();
