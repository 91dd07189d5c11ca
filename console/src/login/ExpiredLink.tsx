import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { RequestError } from '../api/errors.ts';
import { Failure } from '../ui/Failure.tsx';
import { Card } from './Card.tsx';
import s from './login.module.css';

/** Shown for a link that is unknown, used or expired. */
export function ExpiredLink({ error, onRetry }: { error: Error; onRetry(): void }) {
  if (!(error instanceof RequestError) || ![400, 401].includes(error.status))
    return (
      <Card title="Something went wrong">
        <Failure error={error} onRetry={onRetry} />
      </Card>
    );
  return (
    <Card title="This link does not work">
      <p className={s.hint} role="alert">
        The link has expired or was already used. Ask an admin for a new one.
      </p>
      <Button component={Link} to="/login" size="sm">
        Go to the login page
      </Button>
    </Card>
  );
}
