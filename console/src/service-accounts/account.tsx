import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { GrantRole } from '../projects/settings/GrantRole.tsx';
import { projectsQuery } from '../shell/queries.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { Page } from '../ui/Page.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { formatCount } from '../ui/words.ts';
import { getRoleName, type NamedRole } from '../users/roles.ts';
import {
  buildSubject,
  deleteServiceAccount,
  type ServiceAccount,
  serviceAccountQuery,
  serviceAccountsQuery,
  updateServiceAccount,
} from './queries.ts';
import s from './service-accounts.module.css';
import { TokenSecretsCheckbox } from './TokenSecretsCheckbox.tsx';
import { Tokens } from './Tokens.tsx';

const SHOWN_FIELDS = ['name', 'rootRole', 'readsTokenSecrets'];
const crumbs = <Link to="/admin/service-accounts">Service accounts</Link>;

type Draft = { name: string; role: string; readsTokenSecrets: boolean };

/** Edits a service account and its tokens, and shows what would stop working if the account were deleted. */
export function ServiceAccountPage() {
  const { accountId = '' } = useParams({ strict: false });
  const id = Number(accountId);
  const accountResult = useQuery(serviceAccountQuery(id));
  const listResult = useQuery(serviceAccountsQuery);
  if (accountResult.data && listResult.data)
    return <AccountEditor key={id} current={accountResult.data} roles={listResult.data.rootRoles} />;
  return (
    <Page title="Service account" crumbs={crumbs}>
      <Loading queries={[accountResult, listResult]} />
    </Page>
  );
}

type AccountWithEtag = { account: ServiceAccount; etag: string };

function AccountEditor({ current, roles }: { current: AccountWithEtag; roles: readonly NamedRole[] }) {
  const client = useQueryClient();
  const projects = useQuery(projectsQuery).data ?? [];
  const { account } = current;
  const toVersion = ({ account: { name, rootRole, readsTokenSecrets }, etag }: AccountWithEtag) => ({
    draft: { name, role: getRoleName(roles, rootRole), readsTokenSecrets },
    etag,
  });
  const read = async () =>
    toVersion(await client.fetchQuery({ ...serviceAccountQuery(account.id), staleTime: 0 }));
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `service-account:${account.id}`,
    current: toVersion(current),
    read,
    save: ({ name, role, readsTokenSecrets }, etag) => {
      const rootRole = roles.find(candidate => candidate.name === role)?.id;
      const body = { name: name.trim(), readsTokenSecrets, ...(rootRole && { rootRole }) };
      return updateServiceAccount(account.id, body, etag);
    },
    findChange: () => findChange(buildSubject(account)),
    onSaved: async () => {
      toast({ message: 'Service account saved.' });
      return await read();
    },
  });
  const messages = messagesByField(error);
  const missingPermissions = useMissingPermissions('updateServiceAccount');
  return (
    <Page
      title={account.name}
      crumbs={crumbs}
      note={account.username !== account.name && <span className="mono">{account.username}</span>}
    >
      <FormAndEffect
        as="page"
        title="Changes"
        onSubmit={() => changes.length > 0 && editor.save()}
        form={
          conflict ? (
            <Conflict noun="service account" {...conflict} />
          ) : (
            <>
              <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
              <div className={s.pair}>
                <TextInput
                  label="Name"
                  required
                  maxLength={255}
                  autoComplete="off"
                  value={draft.name}
                  error={messages.name}
                  onChange={event => change({ name: event.target.value })}
                />
                <NativeSelect
                  label="Role on this instance"
                  value={draft.role}
                  error={messages.rootRole}
                  data={roles.map(({ name }) => name)}
                  onChange={event => change({ role: event.target.value })}
                />
              </div>
              <TokenSecretsCheckbox
                call="updateServiceAccount"
                checked={draft.readsTokenSecrets}
                wasChecked={account.readsTokenSecrets}
                error={messages.readsTokenSecrets}
                onChange={readsTokenSecrets => change({ readsTokenSecrets })}
              />
              <Tokens account={account} />
              <Deletion account={account} />
            </>
          )
        }
        bar={
          changes.length > 0 &&
          !conflict && (
            <SaveBar
              changes={changes}
              missingPermissions={missingPermissions}
              pending={editor.isPending}
              disabled={draft.name.trim() === ''}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )
        }
      >
        <RailSection title="Roles in projects">
          <p className="muted">The access page of each project lists the roles that the account has there.</p>
          <GrantRole member={{ kind: 'user', id: account.id }} projects={projects} />
        </RailSection>
        <LastChange subject={buildSubject(account)} />
      </FormAndEffect>
      {confirmation}
    </Page>
  );
}

function Deletion({ account }: { account: ServiceAccount }) {
  const navigate = useNavigate();
  return (
    <DangerZone>
      <DangerAction
        title="Delete this service account"
        action="Delete service account"
        call="deleteServiceAccount"
        nameToType={account.username}
        onConfirm={async () => {
          await deleteServiceAccount(account.id);
          await navigate({ to: '/admin/service-accounts', ignoreBlocker: true });
          toast({ message: `Deleted ${account.name}.` });
        }}
      >
        <p>
          {account.tokens.length > 0 &&
            `${formatCount(account.tokens.length, 'token')} ${account.tokens.length === 1 ? 'stops' : 'stop'} working immediately. `}
          It loses its roles in projects and groups. Events still show its name.
        </p>
      </DangerAction>
    </DangerZone>
  );
}
