import '@mantine/core/styles/PasswordInput.layer.css';
import { Button, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMissingPermissions } from '../api/me.ts';
import { CopyButton } from '../ui/Copy.tsx';
import { type OidcDraft, STORED_SECRET } from './draft.ts';
import { rootRolesQuery } from './queries.ts';
import { Setting } from './Setting.tsx';
import s from './sign-in.module.css';

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** The choices for users who cannot read roles. */
const BUILT_IN_ROLES = [
  { id: 1, name: 'Admin' },
  { id: 2, name: 'Editor' },
  { id: 3, name: 'Viewer' },
];

type PartProps = {
  draft: OidcDraft;
  errors: Record<string, string>;
  change(part: Partial<OidcDraft>): void;
};

/** The OpenID Connect settings: the provider, the accounts that a login creates, and advanced options. */
export function OidcForm({
  callbackUrl,
  missingPermissions,
  ...props
}: PartProps & { callbackUrl: string; missingPermissions: readonly string[] }) {
  const { draft, change } = props;
  return (
    <>
      <Setting
        title="Log in with OpenID Connect"
        note="The login page offers it next to passwords"
        checked={draft.enabled}
        missingPermissions={missingPermissions}
        onChange={enabled => change({ enabled })}
      />
      <Provider {...props} callbackUrl={callbackUrl} />
      <Accounts {...props} />
      <Advanced {...props} />
    </>
  );
}

function Provider({ draft, errors, change, callbackUrl }: PartProps & { callbackUrl: string }) {
  return (
    <fieldset className={s.fields}>
      <legend>Provider</legend>
      <TextInput
        className={s.wide}
        label="Issuer or discovery URL"
        classNames={{ input: 'mono' }}
        placeholder="https://login.example.com/realms/staff"
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        value={draft.discoverUrl}
        error={errors.discoverUrl}
        onChange={event => change({ discoverUrl: event.target.value })}
      />
      <TextInput
        label="Client ID"
        classNames={{ input: 'mono' }}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        value={draft.clientId}
        error={errors.clientId}
        onChange={event => change({ clientId: event.target.value })}
      />
      {draft.secret === STORED_SECRET ? (
        <TextInput
          label="Client secret"
          value="•••••••• stored"
          readOnly
          error={errors.secret}
          rightSectionWidth={76}
          rightSection={
            <Button variant="subtle" onClick={() => change({ secret: '' })}>
              Replace
            </Button>
          }
        />
      ) : (
        <PasswordInput
          label="Client secret"
          placeholder="Empty for a public client"
          maxLength={1000}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
          value={draft.secret}
          error={errors.secret}
          onChange={event => change({ secret: event.target.value })}
        />
      )}
      <TextInput
        className={s.wide}
        label="Callback URL, to register at the provider"
        classNames={{ input: 'mono' }}
        value={callbackUrl}
        readOnly
        rightSection={<CopyButton text={callbackUrl} label="Copy callback URL" />}
      />
    </fieldset>
  );
}

function Accounts({ draft, errors, change }: PartProps) {
  const { data: roles = BUILT_IN_ROLES } = useQuery({
    ...rootRolesQuery,
    enabled: useMissingPermissions('getRoles').length === 0,
  });
  return (
    <fieldset className={s.settings}>
      <legend>Accounts</legend>
      <Setting
        title="Create an account at the first login"
        note="Only for these email domains, separated by commas"
        checked={draft.autoCreate}
        onChange={autoCreate => change({ autoCreate })}
      >
        <TextInput
          aria-label="Email domains"
          placeholder="example.com"
          maxLength={5000}
          disabled={!draft.autoCreate}
          value={draft.emailDomains}
          error={errors.emailDomains}
          onChange={event => change({ emailDomains: event.target.value })}
        />
      </Setting>
      <div className={s.setting}>
        <b>Role of new accounts</b>
        <NativeSelect
          aria-label="Role of new accounts"
          value={String(draft.defaultRootRoleId)}
          data={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
          error={errors.defaultRootRoleId}
          onChange={event => change({ defaultRootRoleId: Number(event.target.value) })}
        />
      </div>
      <Setting
        title="Update groups at each login"
        note="Claim with the group names"
        checked={draft.enableGroupSyncing}
        onChange={enableGroupSyncing => change({ enableGroupSyncing })}
      >
        <TextInput
          aria-label="Groups claim"
          classNames={{ input: 'mono' }}
          placeholder="groups"
          maxLength={255}
          spellCheck={false}
          disabled={!draft.enableGroupSyncing}
          value={draft.groupJsonPath}
          error={errors.groupJsonPath}
          onChange={event => change({ groupJsonPath: event.target.value })}
        />
      </Setting>
      <Setting
        title="Log out at the provider too"
        checked={draft.enableSingleSignOut}
        onChange={enableSingleSignOut => change({ enableSingleSignOut })}
      />
    </fieldset>
  );
}

function Advanced({ draft, errors, change }: PartProps) {
  return (
    <details className={s.advanced}>
      <summary>
        <b>Advanced</b> Signing algorithm, groups scope, acr values
      </summary>
      <div className={s.fields}>
        <NativeSelect
          label="Signing algorithm of ID tokens"
          value={draft.idTokenSigningAlgorithm}
          data={[{ value: '', label: 'Any that the provider advertises' }, ...ALGORITHMS]}
          error={errors.idTokenSigningAlgorithm}
          onChange={event => change({ idTokenSigningAlgorithm: event.target.value })}
        />
        <TextInput
          label="acr values"
          description="Requested authentication methods, separated by spaces."
          classNames={{ input: 'mono' }}
          maxLength={500}
          spellCheck={false}
          value={draft.acrValues}
          error={errors.acrValues}
          onChange={event => change({ acrValues: event.target.value })}
        />
        <div className={s.wide}>
          <Setting
            title="Request the groups scope"
            note="Some providers send groups only with this scope"
            checked={draft.addGroupsScope}
            onChange={addGroupsScope => change({ addGroupsScope })}
          />
        </div>
      </div>
    </details>
  );
}
