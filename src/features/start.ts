/** Exports the functions that start a simulator, and registers the control operations of features. */
import './mcp/mcp.ts'

export { start, startFromCode } from '../server/simulator/start.ts'
