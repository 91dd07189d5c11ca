import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { loggedInAgain } from '../api/session.ts';

const LoginForm = lazy(() =>
  import('../login/LoginForm.tsx').then(module => ({ default: module.LoginForm })),
);

/** Appears when the session ended. The page below keeps its input, and the waiting requests continue after the login. */
export function LoginDialog() {
  const queryClient = useQueryClient();
  const onLoggedIn = () => {
    loggedInAgain();
    void queryClient.invalidateQueries();
  };
  return (
    <Modal
      opened
      zIndex={10_000} // Above the palette.
      onClose={() => {}}
      title="Your session ended"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size={380}
      centered
    >
      <p className="muted">Log in again to continue. Your input is kept.</p>
      <Suspense>
        <LoginForm returnTo={`${location.pathname}${location.search}`} onLoggedIn={onLoggedIn} />
      </Suspense>
    </Modal>
  );
}
