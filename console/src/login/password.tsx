import { Page } from '../ui/Page.tsx';

export function NewUserPage() {
  return <Page title="Set a password" />;
}

export function ResetPasswordPage() {
  return <Page title="Set a password" />;
}
