/** Whether the build tools are installed, and not only the service (`npm ci --omit=dev`). */
function canBuild(): boolean {
  try {
    // Throws if it is not installed.
    for (const name of ['typescript/package.json', 'rolldown']) import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

if (canBuild()) {
  const { makeDist } = await import('./build/make-dist.ts')
  await makeDist()
} else if (!process.argv.includes('--if-possible')) {
  throw new Error('The package cannot be built: its tools are not installed')
}
