@rem The shell of Windows has no "exec", with which "npm start" replaces the shell elsewhere (src/build/start.mjs).
@%*
