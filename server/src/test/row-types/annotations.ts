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
import { getTemplateKey } from './recorder.ts';

/** SQL in the sources, and the type that the compiler assumes for its rows or value. */
export type Annotation = {
  key: string;
  /** File and line, for messages. */
  location: string;
  type: Type;
  /** Whether the builder selects the SQL as a column, as in `sql<T>`…`.as('name')`. */
  isColumn: boolean;
};

/** Opens the sources of the repository with the TypeScript compiler. */
export function openSources(root: string) {
  const api = new API({ cwd: root });
  const [project] = api.updateSnapshot({ openProjects: ['tsconfig.json'] }).getProjects();
  if (!project) throw new Error('The TypeScript compiler cannot open tsconfig.json');
  const { program, checker, rootFiles } = project;

  function listAnnotations(isWanted: (path: string) => boolean): Annotation[] {
    return rootFiles.filter(file => isWanted(relative(root, file))).flatMap(annotateFile);
  }

  function annotateFile(file: string): Annotation[] {
    const source = program.getSourceFile(file);
    if (!source) return [];
    return listNodes(source).flatMap(node => {
      const sql = isTemplate(node) ? annotateTemplate(node) : isQuery(node) ? annotateQuery(node) : undefined;
      if (!sql?.type) return [];
      const line = source.text.slice(0, node.getStart(source)).split('\n').length;
      return [{ ...sql, type: sql.type, location: `${relative(root, file)}:${line}` }];
    });
  }

  /** Annotates SQL of type `RawBuilder<T>`, where `T` was declared or inferred. */
  function annotateTemplate(node: TaggedTemplateExpression) {
    const type = checker.getTypeAtLocation(node);
    return {
      key: getTemplateKey(getFragments(node)),
      type: type?.isTypeReference() ? checker.getTypeArguments(type as TypeReference)[0] : undefined,
      isColumn: isPropertyAccessExpression(node.parent) && node.parent.name.text === 'as',
    };
  }

  function annotateQuery({ typeArguments: [type], arguments: [text] }: Query) {
    return { key: text.text, type: checker.getTypeFromTypeNode(type), isColumn: false };
  }

  return { checker, listAnnotations, close: () => api.close() };
}

function listNodes(source: Node): Node[] {
  const nodes: Node[] = [];
  const visit = (node: Node): void => {
    nodes.push(node);
    node.forEachChild(visit);
  };
  visit(source);
  return nodes;
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

function getFragments({ template }: TaggedTemplateExpression): string[] {
  if (!isTemplateExpression(template)) return [template.text];
  return [template.head.text, ...template.templateSpans.map(span => span.literal.text)];
}
