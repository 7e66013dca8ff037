package terratest

import (
	"os"
	"testing"

	"github.com/gruntwork-io/terratest/modules/terraform"
)

func TestApp(t *testing.T) {
	options := terraform.WithDefaultRetryableErrors(t, &terraform.Options{
		TerraformDir:    "modules/app",
		TerraformBinary: os.Getenv("TERRATEST_BINARY"),
		Vars:            map[string]interface{}{"network": "10.0.0.0/16", "ports": []int{80, 443}},
		PlanFilePath:    "plan.bin",
		NoColor:         true,
	})
	defer terraform.Destroy(t, options)
	plan := terraform.InitAndPlanAndShowWithStruct(t, options)
	if len(plan.ResourcePlannedValuesMap) != 1 {
		t.Fatalf("planned: %v", plan.ResourcePlannedValuesMap)
	}
	terraform.RequirePlannedValuesMapKeyExists(t, plan, "terraform_data.app")
	counts := terraform.GetResourceCount(t, terraform.InitAndPlan(t, options))
	if counts.Add != 1 || counts.Change != 0 || counts.Destroy != 0 {
		t.Fatalf("counts: %v", counts)
	}
	options.PlanFilePath = ""
	terraform.InitAndApplyAndIdempotent(t, options)
	if where := terraform.Output(t, options, "where"); where != "10.0.0.0/16:80" {
		t.Fatalf("where: %q", where)
	}
	all := terraform.OutputAll(t, options)
	if len(all) != 1 {
		t.Fatalf("outputs: %v", all)
	}
	terraform.WorkspaceSelectOrNew(t, options, "other")
	terraform.WorkspaceSelectOrNew(t, options, "default")
	terraform.Validate(t, options)
}
