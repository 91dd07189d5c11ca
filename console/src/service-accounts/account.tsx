import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { messagesByField, otherMessages } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { Page } from '../ui/Page.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { counted } from '../ui/words.ts';
import { type NamedRole, roleNameOf } from '../users/roles.ts';
import {
  deleteServiceAccount,
  type ServiceAccount,
  serviceAccountQuery,
  serviceAccountsQuery,
  subjectOf,
  updateServiceAccount,
} from './queries.ts';
import { ReadsTokenSecrets } from './ReadsTokenSecrets.tsx';
import s from './service-accounts.module.css';
import { Tokens } from './Tokens.tsx';

const FIELDS = ['name', 'rootRole', 'readsTokenSecrets'];
const crumbs = <Link to="/admin/service-accounts">Service accounts</Link>;

type Draft = { name: string; role: string; readsTokenSecrets: boolean };

/** A service account: its root role, its tokens, and what would stop working if it were deleted. */
export function ServiceAccountPage() {
  const { accountId = '' } = useParams({ strict: false });
  const id = Number(accountId);
  const found = useQuery(serviceAccountQuery(id));
  const list = useQuery(serviceAccountsQuery);
  if (found.data && list.data)
    return <AccountEditor key={id} found={found.data} roles={list.data.rootRoles} />;
  return (
    <Page title="Service account" crumbs={crumbs}>
      <Loading of={[found, list]} />
    </Page>
  );
}

type Found = { account: ServiceAccount; etag: string };

function AccountEditor({ found, roles }: { found: Found; roles: readonly NamedRole[] }) {
  const client = useQueryClient();
  const { account } = found;
  const versionOf = ({ account: { name, rootRole, readsTokenSecrets }, etag }: Found) => ({
    draft: { name, role: roleNameOf(roles, rootRole), readsTokenSecrets },
    etag,
  });
  const read = async () =>
    versionOf(await client.fetchQuery({ ...serviceAccountQuery(account.id), staleTime: 0 }));
  const { draft, changes, change, error, conflict, question, ...editor } = useEditor<Draft>({
    thing: `service-account:${account.id}`,
    current: versionOf(found),
    read,
    save: ({ name, role, readsTokenSecrets }, etag) => {
      const rootRole = roles.find(one => one.name === role)?.id;
      const body = { name: name.trim(), readsTokenSecrets, ...(rootRole && { rootRole }) };
      return updateServiceAccount(account.id, body, etag);
    },
    findChange: () => findChange(subjectOf(account.id)),
    onSaved: async () => {
      toast({ message: 'Service account saved.' });
      return await read();
    },
  });
  const messages = messagesByField(error);
  const missing = useMissingPermissions('updateServiceAccount');
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
              <FormErrors messages={otherMessages(error, FIELDS)} />
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
                  label="Root role"
                  value={draft.role}
                  error={messages.rootRole}
                  data={roles.map(({ name }) => name)}
                  onChange={event => change({ role: event.target.value })}
                />
              </div>
              <ReadsTokenSecrets
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
              missing={missing}
              pending={editor.isPending}
              disabled={draft.name.trim() === ''}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )
        }
      >
        <LastChange subject={subjectOf(account.id)} />
      </FormAndEffect>
      {question}
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
        typed={account.username}
        onConfirm={async () => {
          await deleteServiceAccount(account.id);
          await navigate({ to: '/admin/service-accounts', ignoreBlocker: true });
          toast({ message: `Deleted ${account.name}.` });
        }}
      >
        <p>
          {account.tokens.length > 0 &&
            `${counted(account.tokens.length, 'token')} ${account.tokens.length === 1 ? 'stops' : 'stop'} working immediately. `}
          Its roles in projects and groups end. Events keep its name.
        </p>
      </DangerAction>
    </DangerZone>
  );
}
