import { readFileSync } from 'node:fs';
import { MAX_LISTED } from '@halyard/plane/platform/errors.ts';
import { MAX_FILTER_LENGTH, MAX_TEXT_LENGTH } from '@halyard/plane/platform/http/input/filter.ts';
import { SECRET_PATTERN } from '@halyard/plane/platform/token.ts';
import { expect, test } from 'vitest';
import { SESSION_DAYS } from '../access/cookie.ts';
import { PUBLIC_BODY_LIMIT_BYTES } from '../access/public-routes.ts';
import { MAX_STRATEGIES } from '../flags/feature-environments/schema.ts';
import {
  KNOWN_NETWORK_DAYS,
  LOGIN_LIMITS,
  MAX_SESSIONS,
  REVOKED_TOKEN_DAYS,
} from '../people/sessions/limits.ts';
import { MAX_PERSONAL_TOKENS } from '../people/users/personal-tokens.ts';
import { INACTIVE_DAYS } from '../people/users/remove.ts';
import { MAX_VIEWS } from '../people/views/schema.ts';
import { DEFAULT_LIMITS } from '../platform/config.ts';
import { STATEMENT_TIMEOUT_MS } from '../platform/db/database.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../platform/secrets/password-strength.ts';
import { VARIABLES } from '../platform/variables.ts';
import { MAX_KEYS, MAX_STORED_BODY_BYTES, MAX_STORED_BYTES } from '../record/idempotency/limits.ts';

const readPage = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8').replace(/\s+/g, ' ');

const formatFigure = (value: number): string => value.toLocaleString('en-US');
const { place, address, account } = LOGIN_LIMITS;

test.each([
  ['SECURITY.md', `${SECRET_PATTERN.source.replace('$', '')}`],
  ['SECURITY.md', `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`],
  ['SECURITY.md', `${SESSION_DAYS} days after the login`],
  ['SECURITY.md', `${PUBLIC_BODY_LIMIT_BYTES / 1024} KiB for public routes`],
  ['SECURITY.md', `filters ${formatFigure(MAX_FILTER_LENGTH)}, free text ${formatFigure(MAX_TEXT_LENGTH)}`],
  ['SECURITY.md', `A statement may take ${STATEMENT_TIMEOUT_MS / 1000} s`],
  ['docs/reference/access.md', `at most ${MAX_PERSONAL_TOKENS}`],
  ['docs/reference/access.md', `kept for ${REVOKED_TOKEN_DAYS} days`],
  ['docs/reference/errors.md', `at most ${MAX_LISTED}`],
  ['docs/reference/event-search.md', `at most ${formatFigure(MAX_TEXT_LENGTH)} characters`],
  ['docs/reference/features.md', `at most ${MAX_STRATEGIES} strategies`],
  ['docs/reference/users.md', `at most ${MAX_VIEWS} saved views`],
  ['docs/reference/idempotency.md', `over ${MAX_STORED_BODY_BYTES / 1024} KiB`],
  [
    'docs/reference/idempotency.md',
    `${MAX_STORED_BYTES / 2 ** 20} MiB of responses and ${formatFigure(MAX_KEYS)} keys`,
  ],
  ['docs/reference/limits.md', `\`HALYARD_MAX_FEATURES\` | ${formatFigure(DEFAULT_LIMITS.features)}`],
  ['docs/reference/sessions.md', `${SESSION_DAYS} days after the login`],
  ['docs/reference/sessions.md', `has ${MAX_SESSIONS} other sessions that were used more recently`],
  [
    'docs/reference/sessions.md',
    `one account from one IP address | ${place.failures} | ${place.minutes} minutes`,
  ],
  [
    'docs/reference/sessions.md',
    `one IP address, any account | ${address.failures} | ${address.minutes} minutes`,
  ],
  [
    'docs/reference/sessions.md',
    `one account, any IP address | ${account.failures} | ${account.minutes} minutes`,
  ],
  ['docs/reference/sessions.md', `within ${KNOWN_NETWORK_DAYS} days`],
  ['docs/reference/users.md', `for ${INACTIVE_DAYS} days`],
])('%s says: %s', (path, text) => {
  expect(readPage(path).includes(text)).toBe(true);
});

test('CONTRIBUTING.md lists every npm script', () => {
  const { scripts } = JSON.parse(readPage('package.json'));
  const listedScripts = [...readPage('CONTRIBUTING.md').matchAll(/\| `npm (?:run )?([\w:-]+)`/g)].map(
    ([, name]) => name,
  );

  expect(listedScripts.toSorted()).toEqual(Object.keys(scripts).toSorted());
});

test('the documented connections of the pools add up to the documented total', () => {
  const text = readPage('docs/how-to/run-in-production.md');
  const [, table = ''] =
    /Each server uses up to 26 database connections by default: (.*?) No caller can take/.exec(text) ?? [];
  const counts = [...table.matchAll(/\| (?:`HALYARD_POOL_SIZE` \((\d+)\)|(\d+)) +\|/g)];

  expect(counts.reduce((sum, [, pool, other]) => sum + Number(pool ?? other), 0)).toBe(26);
  expect(VARIABLES.HALYARD_POOL_SIZE.meaning).toContain(`use ${26 - 10} more`);
});
