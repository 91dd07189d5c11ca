import { relative } from 'node:path';
import {
  type CallExpression,
  isCallExpression,
  isPropertyAccessExpression,
  isStringLiteralLikeNode,
  isTaggedTemplateExpression,
  isTemplateExpression,
  type Node,
  type StringLiteralLikeNode,
  type TaggedTemplateExpression,
  type TypeNode,
} from 'typescript/unstable/ast';
import { API, type Type, type TypeReference } from 'typescript/unstable/sync';
import { keyOf } from './recorder.ts';

/** A piece of SQL in the sources, and the type that the compiler assumes for its rows or its value. */
export type Annotation = {
  key: string;
  /** File and line, for messages. */
  place: string;
  type: Type;
  /** Whether the builder selects it as a column: `sql<T>`…`.as('name')`. */
  isColumn: boolean;
};

/** Opens the sources of the repository with the TypeScript compiler. */
export function openSources(root: string) {
  const api = new API({ cwd: root });
  const [project] = api.updateSnapshot({ openProjects: ['tsconfig.json'] }).getProjects();
  if (!project) throw new Error('The TypeScript compiler cannot open tsconfig.json');
  const { program, checker, rootFiles } = project;

  function listAnnotations(isWanted: (path: string) => boolean): Annotation[] {
    return rootFiles.filter(file => isWanted(relative(root, file))).flatMap(annotationsOf);
  }

  function annotationsOf(file: string): Annotation[] {
    const source = program.getSourceFile(file);
    if (!source) return [];
    return nodesOf(source).flatMap(node => {
      const sql = isTemplate(node) ? ofTemplate(node) : isQuery(node) ? ofQuery(node) : undefined;
      if (!sql?.type) return [];
      const line = source.text.slice(0, node.getStart(source)).split('\n').length;
      return [{ ...sql, type: sql.type, place: `${relative(root, file)}:${line}` }];
    });
  }

  /** Its type is `RawBuilder<T>`, with a `T` that was declared or inferred. */
  function ofTemplate(node: TaggedTemplateExpression) {
    const type = checker.getTypeAtLocation(node);
    return {
      key: keyOf(fragmentsOf(node)),
      type: type?.isTypeReference() ? checker.getTypeArguments(type as TypeReference)[0] : undefined,
      isColumn: isPropertyAccessExpression(node.parent) && node.parent.name.text === 'as',
    };
  }

  function ofQuery({ typeArguments: [type], arguments: [text] }: Query) {
    return { key: text.text, type: checker.getTypeFromTypeNode(type), isColumn: false };
  }

  return { checker, listAnnotations, close: () => api.close() };
}

function nodesOf(source: Node): Node[] {
  const found: Node[] = [];
  const visit = (node: Node): void => {
    found.push(node);
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** sql<T>`…` */
const isTemplate = (node: Node): node is TaggedTemplateExpression =>
  isTaggedTemplateExpression(node) && node.tag.getText() === 'sql';

/** client.query<T>('…'), in the few places that use the driver itself. */
type Query = CallExpression & {
  typeArguments: readonly [TypeNode];
  arguments: readonly [StringLiteralLikeNode];
};
const isQuery = (node: Node): node is Query =>
  isCallExpression(node) &&
  node.typeArguments?.length === 1 &&
  isPropertyAccessExpression(node.expression) &&
  node.expression.name.text === 'query' &&
  node.arguments[0] !== undefined &&
  isStringLiteralLikeNode(node.arguments[0]);

function fragmentsOf({ template }: TaggedTemplateExpression): string[] {
  if (!isTemplateExpression(template)) return [template.text];
  return [template.head.text, ...template.templateSpans.map(span => span.literal.text)];
}
