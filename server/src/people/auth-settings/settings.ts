import { isDeepStrictEqual } from 'node:util';
import { badData, invalidOperation, type Violation } from '@halyard/plane/platform/errors.ts';
import { ROOT_ROLES, type RootRole } from '../../access/roles.ts';
import type { Reader } from '../../platform/db/database.ts';
import { isDifferentDestination, reentryViolation } from '../../platform/secrets/destination.ts';
import { MASK } from '../../platform/secrets/mask.ts';
import { requireKey } from '../../platform/secrets/require-key.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { findRoleViolations } from '../roles/violations.ts';
import { parseDomains } from './domains.ts';
import type { OidcContent, OidcSettings, OidcSettingsInput, SimpleSettings } from './schema.ts';
import { openSecret, sealSecret } from './secret.ts';
import { findOidc, findSimple, lockAuthSettings, type OidcRow, saveOidc, saveSimple } from './store.ts';

const EMPTY_CONTENT: OidcContent = {
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
const DEFAULT_SETTINGS: OidcRow = {
  content: EMPTY_CONTENT,
  defaultRoleId: ROOT_ROLES.Viewer,
  sealedSecret: null,
};

const NO_LOGIN_METHOD =
  'Password login and single sign-on cannot both be disabled. Enable the other one first.';

/** Returns the settings with the encrypted secret, because only the encrypted secret shows whether the secret changed. */
export async function readOidcVersion(db: Reader): Promise<OidcSettings & Pick<OidcRow, 'sealedSecret'>> {
  const row = (await findOidc(db)) ?? DEFAULT_SETTINGS;
  return { ...presentSettings(row), sealedSecret: row.sealedSecret };
}

export async function readSimpleSettings(db: Reader): Promise<SimpleSettings> {
  return (await findSimple(db)) ?? { disabled: false };
}

/** Updates the given fields of the OIDC settings. */
export async function changeOidcSettings(
  { tx, record }: Change,
  keyring: Keyring,
  input: OidcSettingsInput,
): Promise<OidcSettings> {
  if (input.enabled || (input.secret && input.secret !== MASK)) requireKey(keyring);
  await lockAuthSettings(tx);
  const storedSettings = await findOidc(tx);
  const { settingsBefore, content, defaultRoleId, details } = planOidc(storedSettings, input);
  details.unshift(
    ...(await findRoleViolations(tx, 'root', [{ id: defaultRoleId, path: '/body/defaultRootRoleId' }])),
  );
  if (details.length > 0) throw badData(details);
  if (!content.enabled && (await readSimpleSettings(tx)).disabled) throw invalidOperation(NO_LOGIN_METHOD);

  const sealedSecret = computeSealedSecret(keyring, settingsBefore.sealedSecret, input.secret);
  const settingsAfter = { content, defaultRoleId, sealedSecret };
  if (storedSettings && isDeepStrictEqual(settingsAfter, settingsBefore))
    return presentSettings(settingsBefore);
  await saveOidc(tx, settingsAfter);
  const data = { id: 'auth.oidc', ...presentSettings(settingsAfter) };
  const secretChanged = sealedSecret !== settingsBefore.sealedSecret;
  if (storedSettings) {
    const preData = { id: 'auth.oidc', ...presentSettings(settingsBefore) };
    record({ type: 'setting-updated', data: { ...data, ...(secretChanged && { secretChanged }) }, preData });
  } else record({ type: 'setting-created', data });
  return presentSettings(settingsAfter);
}

/** Returns the settings before and after a change, and the violations of the change, except those about the role. */
export function planOidc(storedSettings: OidcRow | undefined, input: OidcSettingsInput) {
  const settingsBefore = storedSettings ?? DEFAULT_SETTINGS;
  const content = mergeContent(settingsBefore.content, input);
  const defaultRoleId = getRequestedRoleId(input) ?? settingsBefore.defaultRoleId;
  const details = [
    ...listViolations(content, input),
    ...findSecretViolations(settingsBefore, content, input),
  ];
  return { settingsBefore, content, defaultRoleId, details };
}

/** Enables or disables login with a password. */
export async function changeSimpleSettings(
  { tx, record }: Change,
  { disabled }: SimpleSettings,
): Promise<SimpleSettings> {
  await lockAuthSettings(tx);
  const storedSettings = await findSimple(tx);
  if (storedSettings?.disabled === disabled) return storedSettings;
  if (disabled && !(await findOidc(tx))?.content.enabled) throw invalidOperation(NO_LOGIN_METHOD);
  await saveSimple(tx, { disabled });
  const data = { id: 'auth.simple', disabled };
  if (storedSettings) {
    record({
      type: 'setting-updated',
      data,
      preData: { id: 'auth.simple', disabled: storedSettings.disabled },
    });
  } else record({ type: 'setting-created', data });
  return { disabled };
}

function presentSettings({ content, defaultRoleId, sealedSecret }: OidcRow): OidcSettings {
  const [name] = Object.entries(ROOT_ROLES).find(([, id]) => id === defaultRoleId) ?? [];
  return {
    ...content,
    secret: sealedSecret === null ? null : MASK,
    ...(name === undefined ? {} : { defaultRootRole: name }),
    defaultRootRoleId: defaultRoleId,
  };
}

/**
 * Applies the given fields to the settings. An empty string becomes null, because forms send an empty string for a missing value.
 */
function mergeContent(contentBefore: OidcContent, input: OidcSettingsInput): OidcContent {
  const { secret: _, defaultRootRole: __, defaultRootRoleId: ___, ...changes } = input;
  const fieldNames = Object.keys(EMPTY_CONTENT) as (keyof OidcContent)[];
  const contentAfter = {
    ...contentBefore,
    ...Object.fromEntries(fieldNames.flatMap(key => (key in changes ? [[key, changes[key]]] : []))),
  };
  return {
    ...contentAfter,
    discoverUrl: contentAfter.discoverUrl || null,
    clientId: contentAfter.clientId || null,
    groupJsonPath: contentAfter.groupJsonPath || null,
    acrValues: contentAfter.acrValues?.trim() || null,
  };
}

function getRequestedRoleId({ defaultRootRole, defaultRootRoleId }: OidcSettingsInput): number | undefined {
  return defaultRootRoleId ?? (defaultRootRole ? ROOT_ROLES[defaultRootRole as RootRole] : undefined);
}

function* listViolations(content: OidcContent, { defaultRootRole }: OidcSettingsInput): Generator<Violation> {
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
  if (autoCreate && parseDomains(emailDomains).length === 0) {
    yield {
      message:
        'emailDomains is required with autoCreate. List the domains whose users get an account, or * for all',
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

function* findSecretViolations(
  settingsBefore: OidcRow,
  contentAfter: OidcContent,
  { secret }: OidcSettingsInput,
): Generator<Violation> {
  const keepsSecret = settingsBefore.sealedSecret !== null && (secret === undefined || secret === MASK);
  if (keepsSecret && isDifferentDestination(settingsBefore.content.discoverUrl, contentAfter.discoverUrl))
    yield reentryViolation('secret', 'discoverUrl', '/body/secret');
  if (secret === MASK && settingsBefore.sealedSecret === null) {
    yield {
      message: 'secret is *****, which keeps the stored secret, but no secret is stored',
      path: '/body/secret',
    };
  }
}

function computeSealedSecret(
  keyring: Keyring,
  sealedSecret: string | null,
  newSecret: OidcSettingsInput['secret'],
): string | null {
  if (newSecret === undefined || newSecret === MASK) return sealedSecret;
  if (!newSecret) return null;
  return openSecret(keyring, sealedSecret) === newSecret ? sealedSecret : sealSecret(keyring, newSecret);
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function isProviderUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isOnThisMachine(url);
}

export const isOnThisMachine = (url: URL): boolean =>
  url.protocol === 'http:' && LOOPBACK_HOST.test(url.hostname);
