import type { components, paths } from '../../client/control-types.ts'

/** A schema of the control document by name: `Schema<'Exchange'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** A path of the control document: `/requests/{id}`. */
export type ControlPath = keyof paths

/** A method of the control plane, as the document spells it. */
export type ControlMethod = 'get' | 'put' | 'post' | 'delete'

type ControlOperation<Path extends ControlPath, Method extends ControlMethod> =
  paths[Path] extends Record<Method, infer Operation> ? Operation : never

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never

type SuccessOf<Responses> = Responses extends { 200: infer Response }
  ? Response
  : Responses extends { 201: infer Response }
    ? Response
    : never

/** The JSON body of a success: `AnswerOf<'/coverage', 'get'>`. */
export type AnswerOf<Path extends ControlPath, Method extends ControlMethod> =
  ControlOperation<Path, Method> extends { responses: infer Responses } ? JsonOf<SuccessOf<Responses>> : never

/** The query parameters of an operation. */
export type QueryOf<Path extends ControlPath, Method extends ControlMethod> =
  ControlOperation<Path, Method> extends { parameters: { query?: infer Query } } ? Query : never
