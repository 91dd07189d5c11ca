export { ContextFieldPage, NewContextFieldPage } from './field.tsx';
export { ContextFieldsPage } from './list.tsx';
