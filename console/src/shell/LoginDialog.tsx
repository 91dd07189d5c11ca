import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { Me } from '../api/can.ts';
import { loadChunk } from '../api/chunks.ts';
import { meQuery } from '../api/me.ts';
import { loggedInAgain, onConnection, ownerOfPage, readConnection } from '../api/session.ts';
import { onLoginElsewhere } from '../login/announce.ts';
import { FormErrors } from '../ui/Failure.tsx';

const LoginForm = lazy(() =>
  loadChunk(() => import('../login/LoginForm.tsx')).then(module => ({ default: module.LoginForm })),
);

/** Appears when the session has ended. The page below keeps its input, and the waiting requests continue after the login. */
export function LoginDialog() {
  const queryClient = useQueryClient();
  const { changeWaits } = useSyncExternalStore(onConnection, readConnection);
  const [error, setError] = useState<string>();
  const [other, setOther] = useState<{ first: string; now: string }>();
  const onLoggedIn = useEffectEvent(async (isFirst = false) => {
    try {
      const now = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
      // The waiting requests belong to the first user, and another user must not send them.
      const first = ownerOfPage();
      if (first && first.user.id !== now.user.id) return setOther({ first: nameOf(first), now: nameOf(now) });
      loggedInAgain();
      void queryClient.invalidateQueries();
    } catch (failure) {
      // The dialog appears because there is no session.
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
      zIndex={10_000} // Above the palette.
      onClose={() => {}}
      title={other ? 'A different user is logged in' : 'Your session ended'}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size={380}
      centered
    >
      {other ? (
        <>
          <p>
            You are logged in as <b>{other.now}</b>. The input on this page is from <b>{other.first}</b>. It
            was not saved.
          </p>
          {/* A full load: no data of the first user remains in memory. */}
          <Button component="a" href="/" variant="filled">
            Continue as {other.now}
          </Button>
        </>
      ) : (
        <>
          <p className="muted">
            Log in again to continue. Your input is kept.
            {changeWaits && ' Your last change is not saved yet. It is saved as soon as you log in.'}
          </p>
          <FormErrors messages={error === undefined ? [] : [error]} />
          <Suspense>
            <LoginForm
              returnTo="/logged-in"
              inNewWindow
              username={usernameOf(ownerOfPage())}
              onLoggedIn={() => void onLoggedIn()}
            />
          </Suspense>
        </>
      )}
    </Modal>
  );
}

const usernameOf = (me: Me | undefined): string => me?.user.username ?? me?.user.email ?? '';

const nameOf = ({ user }: Me): string => user.name ?? user.username ?? user.email ?? `user ${user.id}`;
