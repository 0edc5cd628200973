import { describe, expect, it } from "vitest";
import { LOGIN } from "./fixtures";
import { fieldsOf, fillAll, memberPath, readAll } from "./schemaFields";

const fields = fieldsOf(LOGIN);

describe("the fields of an action", () => {
  it("follow its schema", () => {
    expect(Object.fromEntries(fields.map((field) => [field.name, field.kind]))).toEqual({
      package: "text",
      activity: "text",
      fields: "list",
      headers: "map",
      script: "long",
      wait_s: "number",
      times: "integer",
      exit_code: "integer",
      clear: "boolean",
      match: "enum",
      data: "json",
    });
    expect(fields.filter((field) => field.isRequired).map((field) => field.name)).toEqual(["package", "fields"]);
    expect(fields.find((field) => field.name === "activity")?.description).toBe("The activity.");
    expect(fields.find((field) => field.name === "fields")?.item?.members.map((each) => each.name)).toEqual([
      "field",
      "value",
    ]);
  });

  it("offer null only where it says something else than leaving the value out", () => {
    expect(fields.filter((field) => field.isNullable).map((field) => field.name)).toEqual(["exit_code"]);
  });

  it.each([
    {},
    {
      package: "com.example",
      activity: ".Main",
      fields: [
        { field: "E-mail", value: "{{ params.user }}" },
        { field: "Code", value: "1" },
      ],
      headers: { "X-One": "1" },
      script: "a\nb",
      wait_s: 2.5,
      times: 3,
      exit_code: null,
      clear: false,
      match: "exact",
      data: { deep: [1, { er: null }] },
    },
    // A template may stand for anything.
    {
      fields: "{{ params.fields }}",
      wait_s: "{{ params.wait }}",
      clear: "{{ params.clear }}",
      match: "{{ params.m }}",
    },
  ])("lose nothing of stored values %#", (values) => {
    expect(readAll(fields, fillAll(fields, values))).toEqual(values);
  });

  it("send what is no number as it was typed, so that the server can say so", () => {
    expect(readAll(fields, { wait_s: "soon", times: " 3 ", data: "{oops" })).toEqual({
      wait_s: "soon",
      times: 3,
      data: "{oops",
    });
  });
});

describe("paths", () => {
  it("are spelt as the server spells them", () => {
    expect(memberPath("with", "package")).toBe("with.package");
    expect(memberPath("with.headers", "a b")).toBe('with.headers["a b"]');
    expect(memberPath("", "name")).toBe("name");
  });
});
