import { isDeepStrictEqual } from 'node:util';
import { badData, invalidOperation, type Violation } from '../../../../plane/src/platform/errors.ts';
import { ROOT_ROLES, type RootRole } from '../../access/roles.ts';
import type { Reader } from '../../platform/db/database.ts';
import { isElsewhere, requiredAgain } from '../../platform/secrets/destination.ts';
import { MASK } from '../../platform/secrets/mask.ts';
import { needsKey } from '../../platform/secrets/needs-key.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { roleViolations } from '../roles/violations.ts';
import { domainsOf } from './domains.ts';
import type { OidcContent, OidcSettings, OidcSettingsInput, SimpleSettings } from './schema.ts';
import { openSecret, sealSecret } from './secret.ts';
import { findOidc, findSimple, lockAuthSettings, type OidcRow, saveOidc, saveSimple } from './store.ts';

const EMPTY: OidcContent = {
  enabled: false,
  discoverUrl: null,
  clientId: null,
  autoCreate: false,
  emailDomains: '',
  enableSingleSignOut: false,
  enableGroupSyncing: false,
  groupJsonPath: null,
  addGroupsScope: false,
  acrValues: null,
  idTokenSigningAlgorithm: null,
};
const UNSET: OidcRow = { content: EMPTY, defaultRoleId: ROOT_ROLES.Viewer, sealedSecret: null };

const NO_LOGIN_METHOD =
  'Password login and single sign-on cannot both be disabled. Enable the other one first.';

/** The settings with the encrypted secret, which decides whether the secret changed. */
export async function oidcVersion(db: Reader): Promise<OidcSettings & Pick<OidcRow, 'sealedSecret'>> {
  const row = (await findOidc(db)) ?? UNSET;
  return { ...shown(row), sealedSecret: row.sealedSecret };
}

export async function simpleSettings(db: Reader): Promise<SimpleSettings> {
  return (await findSimple(db)) ?? { disabled: false };
}

/** Updates the given fields of the OIDC settings. */
export async function changeOidcSettings(
  { tx, record }: Change,
  keyring: Keyring,
  input: OidcSettingsInput,
): Promise<OidcSettings> {
  if (input.enabled || (input.secret && input.secret !== MASK)) needsKey(keyring);
  await lockAuthSettings(tx);
  const found = await findOidc(tx);
  const { before, content, defaultRoleId, details } = planOidc(found, input);
  details.unshift(
    ...(await roleViolations(tx, 'root', [{ id: defaultRoleId, path: '/body/defaultRootRoleId' }])),
  );
  if (details.length > 0) throw badData(details);
  if (!content.enabled && (await simpleSettings(tx)).disabled) throw invalidOperation(NO_LOGIN_METHOD);

  const sealedSecret = secretAfter(keyring, before.sealedSecret, input.secret);
  const after = { content, defaultRoleId, sealedSecret };
  if (found && isDeepStrictEqual(after, before)) return shown(before);
  await saveOidc(tx, after);
  const data = { id: 'auth.oidc', ...shown(after) };
  const secretChanged = sealedSecret !== before.sealedSecret;
  if (found) {
    const preData = { id: 'auth.oidc', ...shown(before) };
    record({ type: 'setting-updated', data: { ...data, ...(secretChanged && { secretChanged }) }, preData });
  } else record({ type: 'setting-created', data });
  return shown(after);
}

/** The settings before and after a change, and its violations, except those about the role. */
export function planOidc(found: OidcRow | undefined, input: OidcSettingsInput) {
  const before = found ?? UNSET;
  const content = merged(before.content, input);
  const defaultRoleId = roleIn(input) ?? before.defaultRoleId;
  const details = [...violationsOf(content, input), ...secretViolations(before, content, input)];
  return { before, content, defaultRoleId, details };
}

/** Enables or disables login with a password. */
export async function changeSimpleSettings(
  { tx, record }: Change,
  { disabled }: SimpleSettings,
): Promise<SimpleSettings> {
  await lockAuthSettings(tx);
  const found = await findSimple(tx);
  if (found?.disabled === disabled) return found;
  if (disabled && !(await findOidc(tx))?.content.enabled) throw invalidOperation(NO_LOGIN_METHOD);
  await saveSimple(tx, { disabled });
  const data = { id: 'auth.simple', disabled };
  if (found) {
    record({ type: 'setting-updated', data, preData: { id: 'auth.simple', disabled: found.disabled } });
  } else record({ type: 'setting-created', data });
  return { disabled };
}

function shown({ content, defaultRoleId, sealedSecret }: OidcRow): OidcSettings {
  const [name] = Object.entries(ROOT_ROLES).find(([, id]) => id === defaultRoleId) ?? [];
  return {
    ...content,
    secret: sealedSecret === null ? null : MASK,
    ...(name === undefined ? {} : { defaultRootRole: name }),
    defaultRootRoleId: defaultRoleId,
  };
}

/** Forms send an empty string for a missing value. */
function merged(before: OidcContent, input: OidcSettingsInput): OidcContent {
  const { secret: _, defaultRootRole: __, defaultRootRoleId: ___, ...given } = input;
  const known = Object.keys(EMPTY) as (keyof OidcContent)[];
  const after = {
    ...before,
    ...Object.fromEntries(known.flatMap(key => (key in given ? [[key, given[key]]] : []))),
  };
  return {
    ...after,
    discoverUrl: after.discoverUrl || null,
    clientId: after.clientId || null,
    groupJsonPath: after.groupJsonPath || null,
    acrValues: after.acrValues?.trim() || null,
  };
}

function roleIn({ defaultRootRole, defaultRootRoleId }: OidcSettingsInput): number | undefined {
  return defaultRootRoleId ?? (defaultRootRole ? ROOT_ROLES[defaultRootRole as RootRole] : undefined);
}

function* violationsOf(content: OidcContent, { defaultRootRole }: OidcSettingsInput): Generator<Violation> {
  const { discoverUrl, clientId, enabled, autoCreate, emailDomains } = content;
  if (discoverUrl !== null && !isProviderUrl(discoverUrl)) {
    yield {
      message: `discoverUrl must use https, or http on this machine, not "${discoverUrl}"`,
      path: '/body/discoverUrl',
    };
  }
  if (enabled && discoverUrl === null)
    yield { message: 'discoverUrl is required to enable single sign-on', path: '/body/discoverUrl' };
  if (enabled && clientId === null)
    yield { message: 'clientId is required to enable single sign-on', path: '/body/clientId' };
  if (autoCreate && domainsOf(emailDomains).length === 0) {
    yield {
      message:
        'emailDomains is required with autoCreate. List the domains for which accounts are created, or * for all',
      path: '/body/emailDomains',
    };
  }
  if (defaultRootRole && !Object.hasOwn(ROOT_ROLES, defaultRootRole)) {
    yield {
      message: `defaultRootRole must be one of ${Object.keys(ROOT_ROLES).join(', ')}, not "${defaultRootRole}"`,
      path: '/body/defaultRootRole',
    };
  }
}

function* secretViolations(
  before: OidcRow,
  after: OidcContent,
  { secret }: OidcSettingsInput,
): Generator<Violation> {
  const isKept = before.sealedSecret !== null && (secret === undefined || secret === MASK);
  if (isKept && isElsewhere(before.content.discoverUrl, after.discoverUrl)) {
    yield requiredAgain('secret', 'discoverUrl', '/body/secret');
  }
  if (secret === MASK && before.sealedSecret === null) {
    yield {
      message: 'secret is *****, which keeps the stored secret, but no secret is stored',
      path: '/body/secret',
    };
  }
}

function secretAfter(
  keyring: Keyring,
  sealed: string | null,
  given: OidcSettingsInput['secret'],
): string | null {
  if (given === undefined || given === MASK) return sealed;
  if (!given) return null;
  return openSecret(keyring, sealed) === given ? sealed : sealSecret(keyring, given);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function isProviderUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isOnThisMachine(url);
}

export const isOnThisMachine = (url: URL): boolean => url.protocol === 'http:' && LOOPBACK.test(url.hostname);
