import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { announceLogin } from './announce.ts';
import { Card } from './Card.tsx';
import s from './login.module.css';

/** The last page of a login that the dialog "Your session ended" opened in a new window. */
export function LoggedInPage() {
  useEffect(announceLogin, []);
  return (
    <Card title="You are logged in">
      <p className={s.hint} role="status">
        Close this window and continue in the other one. Everything that you entered there is kept.
      </p>
      <Button component="a" href="/" size="sm">
        Go to the home page
      </Button>
    </Card>
  );
}
