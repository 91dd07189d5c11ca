export { EnvironmentsPage } from './page.tsx';
