import type { OidcInput, OidcSettings } from './queries.ts';

/** What responses show instead of a stored secret, and what keeps it in a request. */
export const STORED = '*****';

/** The form of OpenID Connect. Empty strings mean missing values. */
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

export const draftOf = (settings: OidcSettings): OidcDraft => ({
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

export const inputOf = (draft: OidcDraft): OidcInput => ({
  ...draft,
  discoverUrl: draft.discoverUrl.trim() || null,
  clientId: draft.clientId.trim() || null,
  secret: draft.secret || null,
  groupJsonPath: draft.groupJsonPath.trim() || null,
  acrValues: draft.acrValues.trim() || null,
  idTokenSigningAlgorithm: (draft.idTokenSigningAlgorithm || null) as OidcInput['idTokenSigningAlgorithm'], // Of the select.
});

const NAMES: Record<keyof OidcDraft, string> = {
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

export const FIELDS = Object.keys(NAMES) as (keyof OidcDraft)[]; // Object.keys loses the key types.

/** The names of the changed fields. Their values stay in the form, where a secret is hidden. */
export const changedNames = (before: OidcDraft, after: OidcDraft): string[] =>
  FIELDS.filter(field => before[field] !== after[field]).map(field => NAMES[field]);
