import { createReadStream, createWriteStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const OUT = "../src/corral/ui_dist";

/** Lays a .br and a .gz beside every text file, so that the server compresses nothing itself. */
function precompress(): Plugin {
  return {
    name: "precompress",
    apply: "build",
    async closeBundle() {
      const files = readdirSync(OUT, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(js|css|html|svg)$/.test(name))
        .map((name) => join(OUT, name))
        .filter((path) => statSync(path).size > 512);
      await Promise.all(
        files.flatMap((path) => [
          pipeline(createReadStream(path), createGzip({ level: 9 }), createWriteStream(`${path}.gz`)),
          pipeline(
            createReadStream(path),
            createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
            createWriteStream(`${path}.br`),
          ),
        ]),
      );
    },
  };
}

export default defineConfig({
  plugins: [react(), tailwindcss(), precompress()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content security policy allows no data: fonts or scripts
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": process.env.CORRAL_URL ?? "http://127.0.0.1:8080" } },
  test: {
    environment: "jsdom",
    globals: false,
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
    testTimeout: 30_000,
  },
});
