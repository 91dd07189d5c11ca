import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { findChange } from '../ui/last-change.ts';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import type { Version } from '../ui/versions.ts';
import { formatCount } from '../ui/words.ts';
import { Admins } from './Admins.tsx';
import { listChangedNames, type OidcDraft, SHOWN_FIELDS, STORED_SECRET, toDraft, toInput } from './draft.ts';
import { SignInFrame } from './Frame.tsx';
import { LockoutNote } from './LockoutNote.tsx';
import { findLockout } from './lockout.ts';
import { OidcForm } from './OidcForm.tsx';
import { adminLoginsQuery, oidcQuery, originsQuery, passwordsQuery, saveOidc, testOidc } from './queries.ts';
import s from './sign-in.module.css';
import { buildSettingSubject } from './subject.ts';
import { TestResult } from './TestResult.tsx';

const SUBJECT = buildSettingSubject('auth.oidc');

/** Single sign-on with OpenID Connect. Only tested settings can be saved. */
export function OidcPage() {
  const oidc = useQuery(oidcQuery);
  const passwords = useQuery(passwordsQuery);
  const origins = useQuery(originsQuery);
  const error = oidc.error ?? passwords.error ?? origins.error;
  return (
    <SignInFrame name="OpenID Connect">
      {error && <Failure error={error} onRetry={() => void oidc.refetch()} />}
      {!error && !(oidc.data && passwords.data && origins.data) && <Skeleton />}
      {oidc.data && passwords.data && origins.data && (
        <Editor
          savedVersion={{ draft: toDraft(oidc.data.settings), etag: oidc.data.etag }}
          passwordLoginEnabled={!passwords.data.settings.disabled}
          callbackUrl={`${origins.data.publicUrl}/auth/oidc/callback`}
        />
      )}
    </SignInFrame>
  );
}

function Editor({
  savedVersion,
  passwordLoginEnabled,
  callbackUrl,
}: {
  savedVersion: Version<OidcDraft>;
  passwordLoginEnabled: boolean;
  callbackUrl: string;
}) {
  const client = useQueryClient();
  const missingPermissions = useMissingPermissions('setOidcSettings');
  const [testedKey, setTestedKey] = useState<string>();
  const test = useMutation({
    mutationFn: (sent: OidcDraft) => testOidc(toInput(sent)),
    onSuccess: (_, sent) => setTestedKey(toKey(sent)),
  });
  const read = async () => {
    const { settings, etag } = await client.fetchQuery({ ...oidcQuery, staleTime: 0 });
    return { draft: toDraft(settings), etag };
  };
  const editor = useEditor<OidcDraft>({
    draftKey: 'sign-in:oidc',
    current: savedVersion,
    read,
    save: (sent, etag) => saveOidc(toInput(sent), etag),
    findChange: () => findChange(SUBJECT),
    onSaved: async () => {
      toast({ message: 'Sign-in settings saved.' });
      return await read();
    },
    secretName: 'the client secret',
    withoutSecrets: draft => ({ ...draft, secret: savedVersion.draft.secret }),
  });
  const { draft, base, changes, change, error, conflict, confirmation } = editor;
  const isTested = testedKey === toKey(draft);
  const isPassed = isTested && test.data?.passed === true;
  const { data: logins } = useQuery(
    adminLoginsQuery({
      ...(draft.clientId ? { clientId: draft.clientId } : {}),
      ...(isTested && test.data?.issuer ? { issuer: test.data.issuer } : {}),
    }),
  );
  const lockout =
    logins && findLockout(logins, { password: passwordLoginEnabled, singleSignOn: draft.enabled });
  const runTest = () => test.mutate(draft);
  if (conflict)
    return (
      <>
        <Conflict noun="configuration" {...hideSecrets(conflict)} />
        {confirmation}
      </>
    );
  const rejection = error ?? (testedKey === undefined || !isTested ? test.error : undefined);
  return (
    <>
      <FormAndEffect
        as="page"
        title="Effect"
        isBusy={test.isPending}
        onSubmit={runTest}
        form={
          <>
            <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
            <OidcForm
              draft={draft}
              errors={messagesByField(rejection)}
              callbackUrl={callbackUrl}
              missingPermissions={missingPermissions}
              change={part => {
                change(part);
                if (test.isError) test.reset();
              }}
            />
          </>
        }
        bar={
          changes.length > 0 && (
            <SaveBar
              changes={changes}
              summary={
                <>
                  <b>{formatCount(changes.length, 'change')}</b> {listChangedNames(base, draft).join(' · ')}{' '}
                  <SaveState isNeeded={draft.enabled} isTested={isTested} isPassed={isPassed} />
                </>
              }
              missingPermissions={missingPermissions}
              pending={editor.isPending}
              disabled={
                (draft.enabled && !isPassed) || lockout?.isBlocked === true || missingPermissions.length > 0
              }
              onSave={editor.save}
              onInvalid={() => !isTested && runTest()}
              onDiscard={editor.discard}
            />
          )
        }
      >
        <TestResult
          test={test.data}
          isCurrent={isTested}
          isPending={test.isPending}
          error={test.error}
          onTest={runTest}
        />
        <LockoutNote lockout={lockout} />
        {logins && <Admins logins={logins} />}
        <LastChange subject={SUBJECT} />
      </FormAndEffect>
      {confirmation}
    </>
  );
}

const toKey = (draft: OidcDraft): string => JSON.stringify(toInput(draft));

function SaveState({
  isNeeded,
  isTested,
  isPassed,
}: {
  isNeeded: boolean;
  isTested: boolean;
  isPassed: boolean;
}) {
  if (!isNeeded) return null;
  if (isPassed)
    return (
      <State tone="on" icon={<Check size={12} aria-hidden="true" />}>
        Tested as shown
      </State>
    );
  return (
    <span className={s.untested} data-tone={isTested ? 'bad' : undefined}>
      {isTested ? 'The test failed' : 'Test these settings to save them'}
    </span>
  );
}

/** Hides the secrets in a conflict, which shows the values of both sides. */
function hideSecrets<C extends { base: OidcDraft; mine: OidcDraft; theirs: OidcDraft }>(conflict: C): C {
  const { base, mine, theirs } = conflict;
  const hideSecret = (draft: OidcDraft): OidcDraft => ({
    ...draft,
    secret: draft.secret === base.secret ? draft.secret : draft.secret === '' ? '' : `${STORED_SECRET} (new)`,
  });
  return { ...conflict, mine: hideSecret(mine), theirs: hideSecret(theirs) };
}
