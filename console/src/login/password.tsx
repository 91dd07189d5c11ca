import { Page } from '../ui/Page.tsx';

export function NewUserPage() {
  return (
    <main>
      <Page title="Set a password" />
    </main>
  );
}

export function ResetPasswordPage() {
  return (
    <main>
      <Page title="Set a password" />
    </main>
  );
}
