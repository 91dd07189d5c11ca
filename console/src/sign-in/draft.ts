import type { OidcInput, OidcSettings } from './queries.ts';

/** The mask that responses contain instead of a stored secret. A request with this mask keeps the secret. */
export const STORED_SECRET = '*****';

/** The OpenID Connect form. Empty strings mean missing values. */
export type OidcDraft = {
  enabled: boolean;
  discoverUrl: string;
  clientId: string;
  secret: string;
  autoCreate: boolean;
  emailDomains: string;
  defaultRootRoleId: number;
  enableGroupSyncing: boolean;
  groupJsonPath: string;
  enableSingleSignOut: boolean;
  idTokenSigningAlgorithm: string;
  addGroupsScope: boolean;
  acrValues: string;
};

export const toDraft = (settings: OidcSettings): OidcDraft => ({
  enabled: settings.enabled,
  discoverUrl: settings.discoverUrl ?? '',
  clientId: settings.clientId ?? '',
  secret: settings.secret ?? '',
  autoCreate: settings.autoCreate,
  emailDomains: settings.emailDomains,
  defaultRootRoleId: settings.defaultRootRoleId,
  enableGroupSyncing: settings.enableGroupSyncing,
  groupJsonPath: settings.groupJsonPath ?? '',
  enableSingleSignOut: settings.enableSingleSignOut,
  idTokenSigningAlgorithm: settings.idTokenSigningAlgorithm ?? '',
  addGroupsScope: settings.addGroupsScope,
  acrValues: settings.acrValues ?? '',
});

export const toInput = (draft: OidcDraft): OidcInput => ({
  ...draft,
  discoverUrl: draft.discoverUrl.trim() || null,
  clientId: draft.clientId.trim() || null,
  secret: draft.secret || null,
  groupJsonPath: draft.groupJsonPath.trim() || null,
  acrValues: draft.acrValues.trim() || null,
  idTokenSigningAlgorithm: (draft.idTokenSigningAlgorithm || null) as OidcInput['idTokenSigningAlgorithm'], // The select offers only these values.
});

const FIELD_NAMES: Record<keyof OidcDraft, string> = {
  enabled: 'single sign-on',
  discoverUrl: 'issuer',
  clientId: 'client ID',
  secret: 'client secret',
  autoCreate: 'new accounts',
  emailDomains: 'email domains',
  defaultRootRoleId: 'role of new accounts',
  enableGroupSyncing: 'groups',
  groupJsonPath: 'groups claim',
  enableSingleSignOut: 'logout',
  idTokenSigningAlgorithm: 'signing algorithm',
  addGroupsScope: 'groups scope',
  acrValues: 'acr values',
};

export const SHOWN_FIELDS = Object.keys(FIELD_NAMES) as (keyof OidcDraft)[]; // Object.keys loses the key types.

/** Returns the names of the changed fields, without their values, because one of them is a secret. */
export const listChangedNames = (draftBefore: OidcDraft, draftAfter: OidcDraft): string[] =>
  SHOWN_FIELDS.filter(field => draftBefore[field] !== draftAfter[field]).map(field => FIELD_NAMES[field]);
