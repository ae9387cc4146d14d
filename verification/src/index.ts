export { type CheckContext, checkFile, checkpointIn } from './check-file.ts'
export { type PublishedKeys, readKeys } from './published-keys.ts'
export { type Doubt, isDoubt, resultText, type VerificationResult } from './verification-result.ts'
/** Checks what the service signed, with nothing but its key document: no database, no network, no configuration. */
export { type FilesToVerify, verifyFiles } from './verify-files.ts'
