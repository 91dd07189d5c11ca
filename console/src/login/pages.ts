// All pages without the shell are in one chunk, because each additional chunk makes the first load larger.
export { LoggedInPage } from './logged-in.tsx';
export { LoginPage } from './page.tsx';
export { NewUserPage, ResetPasswordPage } from './password.tsx';
export { SignupPage } from './signup.tsx';
