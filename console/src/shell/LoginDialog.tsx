import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { Me } from '../api/can.ts';
import { loadChunk } from '../api/chunks.ts';
import { meQuery } from '../api/me.ts';
import { onConnectionChange, readConnection, readPageUser, resumeAfterLogin } from '../api/session.ts';
import { onLoginElsewhere } from '../login/announce.ts';
import { FormErrors } from '../ui/Failure.tsx';

const LoginForm = lazy(() =>
  loadChunk(() => import('../login/LoginForm.tsx')).then(module => ({ default: module.LoginForm })),
);

/** Appears when the session has ended. The page behind it keeps its input, and waiting requests continue after the login. */
export function LoginDialog() {
  const queryClient = useQueryClient();
  const { hasWaitingChange } = useSyncExternalStore(onConnectionChange, readConnection);
  const [error, setError] = useState<string>();
  const [otherUser, setOtherUser] = useState<{ pageUser: string; currentUser: string }>();
  const onLoggedIn = useEffectEvent(async (isFirst = false) => {
    try {
      const current = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
      // The waiting requests belong to the page's user, so a different user must not send them.
      const pageUser = readPageUser();
      if (pageUser && pageUser.user.id !== current.user.id)
        return setOtherUser({ pageUser: getDisplayName(pageUser), currentUser: getDisplayName(current) });
      resumeAfterLogin();
      void queryClient.invalidateQueries();
    } catch (failure) {
      // The first attempt is expected to fail, because the dialog appears when there is no session.
      if (!isFirst) setError(failure instanceof Error ? failure.message : String(failure));
    }
  });
  useEffect(() => {
    void onLoggedIn(true);
    return onLoginElsewhere(() => void onLoggedIn());
  }, []);
  return (
    <Modal
      opened
      zIndex={10_000} // The dialog must appear above the palette.
      onClose={() => {}}
      title={otherUser ? 'A different user is logged in' : 'Your session ended'}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size={380}
      centered
    >
      {otherUser ? (
        <>
          <p>
            You are logged in as <b>{otherUser.currentUser}</b>. The input on this page is from{' '}
            <b>{otherUser.pageUser}</b>. It was not saved.
          </p>
          {/* Reloads the console, so that none of the previous user's data stays in memory. */}
          <Button component="a" href="/" variant="filled">
            Continue as {otherUser.currentUser}
          </Button>
        </>
      ) : (
        <>
          <p className="muted">
            Log in again to continue. Your input is kept.
            {hasWaitingChange && ' Your last change is not saved yet. It is saved as soon as you log in.'}
          </p>
          <FormErrors messages={error === undefined ? [] : [error]} />
          <Suspense>
            <LoginForm
              returnTo="/logged-in"
              inNewWindow
              username={getUsername(readPageUser())}
              onLoggedIn={() => void onLoggedIn()}
            />
          </Suspense>
        </>
      )}
    </Modal>
  );
}

const getUsername = (me: Me | undefined): string => me?.user.username ?? me?.user.email ?? '';

const getDisplayName = ({ user }: Me): string =>
  user.name ?? user.username ?? user.email ?? `user ${user.id}`;
