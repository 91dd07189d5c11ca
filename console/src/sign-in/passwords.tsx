import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { messagesWithoutField } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { findChange } from '../ui/last-change.ts';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import type { Version } from '../ui/versions.ts';
import { Admins } from './Admins.tsx';
import { SignInFrame } from './Frame.tsx';
import { LockoutNote } from './LockoutNote.tsx';
import { findLockout } from './lockout.ts';
import { adminLoginsQuery, oidcQuery, passwordsQuery, savePasswords } from './queries.ts';
import { Setting } from './Setting.tsx';
import s from './sign-in.module.css';
import { buildSettingSubject } from './subject.ts';

const SUBJECT = buildSettingSubject('auth.simple');

type Draft = { password: boolean };

/** Enables or disables logins with a password. */
export function PasswordsPage() {
  const passwords = useQuery(passwordsQuery);
  const oidc = useQuery(oidcQuery);
  const error = passwords.error ?? oidc.error;
  return (
    <SignInFrame name="Passwords">
      {error && <Failure error={error} onRetry={() => void passwords.refetch()} />}
      {!error && !(passwords.data && oidc.data) && <Skeleton />}
      {passwords.data && oidc.data && (
        <Editor
          savedVersion={{ draft: { password: !passwords.data.settings.disabled }, etag: passwords.data.etag }}
          singleSignOnEnabled={oidc.data.settings.enabled}
        />
      )}
    </SignInFrame>
  );
}

function Editor({
  savedVersion,
  singleSignOnEnabled,
}: {
  savedVersion: Version<Draft>;
  singleSignOnEnabled: boolean;
}) {
  const client = useQueryClient();
  const missingPermissions = useMissingPermissions('setSimpleSettings');
  const { data: logins } = useQuery(adminLoginsQuery({}));
  const read = async () => {
    const { settings, etag } = await client.fetchQuery({ ...passwordsQuery, staleTime: 0 });
    return { draft: { password: !settings.disabled }, etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: 'sign-in:passwords',
    current: savedVersion,
    read,
    save: (sent, etag) => savePasswords({ disabled: !sent.password }, etag),
    findChange: () => findChange(SUBJECT),
    onSaved: async sent => {
      toast({
        message: sent.password ? 'Passwords enabled.' : 'Passwords disabled. Open sessions continue.',
      });
      return await read();
    },
  });
  if (conflict)
    return (
      <>
        <Conflict noun="setting" {...conflict} />
        {confirmation}
      </>
    );
  const lockout =
    logins && findLockout(logins, { password: draft.password, singleSignOn: singleSignOnEnabled });
  const isOnlyMethod = !singleSignOnEnabled && savedVersion.draft.password;
  return (
    <>
      <FormAndEffect
        as="page"
        title="Effect"
        onSubmit={() => {}}
        form={
          <>
            <FormErrors messages={messagesWithoutField(error, [])} />
            <Setting
              title="Log in with a password"
              note="Without it, people log in with single sign-on only. Admin tokens keep working."
              checked={draft.password}
              missingPermissions={missingPermissions}
              onChange={password => change({ password })}
            />
            {isOnlyMethod && (
              <p className="muted">
                Passwords are the only login method. Before you disable them, set up{' '}
                <Link to="/admin/sign-in" className={s.link}>
                  OpenID Connect
                </Link>
                .
              </p>
            )}
          </>
        }
        bar={
          changes.length > 0 && (
            <SaveBar
              changes={changes}
              action={draft.password ? 'Enable passwords' : 'Disable passwords'}
              missingPermissions={missingPermissions}
              pending={editor.isPending}
              disabled={lockout?.isBlocked === true || missingPermissions.length > 0}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )
        }
      >
        <LockoutNote lockout={lockout} />
        {logins && <Admins logins={logins} />}
        <LastChange subject={SUBJECT} />
      </FormAndEffect>
      {confirmation}
    </>
  );
}
