import type { ErrorComponentProps } from '@tanstack/react-router';
import { Failure, NotFound } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';

/** A page whose component failed. The sidebar keeps working. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page did not load">
      <Failure error={error} onRetry={reset} />
    </Page>
  );
}

/** The console could not load the user. */
export function FailedShell(props: ErrorComponentProps) {
  return (
    <main>
      <FailedPage {...props} reset={() => location.reload()} />
    </main>
  );
}

/** An address that the console does not know. */
export function UnknownPage() {
  return (
    <Page title="Not found">
      <NotFound />
    </Page>
  );
}
