#!/bin/sh
# What of cuda/ has no kernel in it, nor is of use to kernels alone.
echo batch batch_cached batch_rows context group_table descriptors join_tables materialized materialized_sort pool provider resident seek select_form shape_cache vm_lower vm_translate vm_totals vm_slots vm_fuse
