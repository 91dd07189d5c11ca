import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isOutage } from '../api/errors.ts';
import { Failure, NotFound } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import s from './Shell.module.css';

const RETRY_MS = 5_000;

/** Shown if a page's component failed. The sidebar keeps working. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page did not load">
      <Failure error={error} onRetry={reset} />
    </Page>
  );
}

/** Shown if a page's code is not loaded yet. The page opens when the user is online again. */
export function OfflinePage() {
  return (
    <Page title="This page cannot load while you are offline">
      <p className={s.offline}>It opens when you are connected again.</p>
    </Page>
  );
}

/** Shown if the console could not load the user. After an outage, the console opens automatically. */
export function FailedShell(props: ErrorComponentProps) {
  const router = useRouter();
  const { error } = props;
  useEffect(() => {
    if (!isOutage(error)) return;
    const timer = setTimeout(() => void router.invalidate(), RETRY_MS);
    return () => clearTimeout(timer);
  }, [error, router]);
  return (
    <main>
      <FailedPage {...props} reset={() => location.reload()} />
    </main>
  );
}

/** Shown for an unknown URL. */
export function UnknownPage() {
  return (
    <Page title="Not found">
      <NotFound title="The console has no such page" />
    </Page>
  );
}

/** Shown for a project that does not exist or that the user cannot read. */
export function UnknownProject({ id }: { id: string }) {
  return (
    <Page title="Not found">
      <NotFound message={`There is no project "${id}" that you can read.`} />
    </Page>
  );
}
