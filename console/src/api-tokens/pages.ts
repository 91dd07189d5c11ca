export { EdgesPage } from '../edges/list.tsx';
export { TokensPage } from './list.tsx';
