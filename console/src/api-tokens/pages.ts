export { TokensPage } from './list.tsx';
export { NewTokenPage } from './new.tsx';
